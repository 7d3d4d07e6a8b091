-- Two days of the web shop, run while Canal reads the binary log. autocommit is on: a statement outside
-- BEGIN ... COMMIT is a transaction of its own.

USE shop;
SET sql_mode = '';   -- allows the zero date below; old applications run like this

-- ---------------------------------------------------------------------------------------- first rows
-- One statement, many rows: one message with many entries in `data`.
INSERT INTO customers (id, first_name, last_name, email, tier, birthday, note, registered_at) VALUES
  (1, 'Amélie', 'Dubois', 'amelie@example.com', 'regular', '1988-02-29', 'prefers e-mail', '2024-02-29 23:59:59.123456'),
  (2, '小明', '王', 'xiaoming@example.com', 'gold', '1979-12-31', NULL, '2024-03-01 00:00:00.000001'),
  (3, 'Zoë 😀', 'O''Hara', 'zoe@example.com', 'new', NULL, 'says "hi"\n\ttwice \\ 🎉', '2024-03-01 08:30:00'),
  (4, NULL, 'Bäckerei Müller GmbH', NULL, 'wholesale, net 30', NULL, '', '2024-03-01 09:15:30.5'),
  (5, 'Иван', 'Петров', 'ivan@example.com', 'new', '2001-07-15', NULL, '2024-03-01 10:00:00');
-- The largest key there is (customers of the predecessor were numbered from above).
INSERT INTO customers (id, first_name, last_name, email, tier, registered_at) VALUES
  (18446744073709551615, 'Old', 'Customer', 'old@example.com', 'regular', '2024-03-01 10:00:01');

-- The hard types. flags and the binary columns hold bytes that are no text.
INSERT INTO products VALUES
  (10, 'Green tea 🍵', 12.9000, 4.123456789012345678901234567891, 4006381333931, 0.25, 4.75, b'00000001',
   'organic,gift', 2024, '36:00:00', '2024-03-01 06:00:00.000001', NULL, x'0AFF', x'DEADBEEF00', x'89504E470D0A1A0A00FF',
   '{"origin": "Uji", "grams": 250, "tags": ["loose", "first flush"]}'),
  (11, 'Teapot "Ö"', 1234567890123456.7891, 12345678901234567890123456789012345.123456789012345678901234567891, 18446744073709551615, 0.1, 0.1, b'10110001',
   'fragile,sale', 1999, '-12:30:00.000001', '2024-02-29 23:59:59.999999', '0000-00-00', x'00000000', x'', x'00',
   '{"glaze": "celadon", "unit": "Stück", "price": 1.10}'),
  (12, 'Shelf', 89.5000, NULL, NULL, 12500000, 1e-7, b'11111111',
   '', NULL, '100:15:30.25', NULL, '2024-12-31', NULL, NULL, NULL, NULL),
  (13, 'Gift card', 0.0001, 0, 0, 0, -2.5, b'0',
   'organic,fragile,sale,gift', 2155, '00:00:00', '9999-12-31 23:59:59', NULL, x'7A6F6521', x'FFFE', x'C3A9', 'null');

INSERT INTO orders (id, customer_id, status, total, ordered_at) VALUES
  (1001, 1, 'open', 25.80, '2024-03-01 10:00:00'),
  (1002, 2, 'open', 89.50, '2024-03-01 10:05:00.25'),
  (1003, 3, 'open', 12.90, '2024-03-01 10:06:00.999999'),
  (1004, 4, 'open', 1290.00, '2024-03-01 11:00:00'),
  (1005, 18446744073709551615, 'open', 0.00, '2024-03-01 11:30:00');

INSERT INTO order_items (order_id, line_no, product_id, quantity, unit_price) VALUES
  (1001, 1, 10, 2, 12.9),
  (1002, 1, 12, 1, 89.5),
  (1003, 1, 10, 1, 12.9),
  (1003, 2, 13, 1, 0.0001),
  (1003, 3, 11, 0.125, 1234567890123456.7891),
  (1004, 1, 10, 100, 12.9);

INSERT INTO carts VALUES
  (1, 5, 10, 1, FALSE, '2024-03-01 12:00:00.125'),
  (2, NULL, 11, 1, TRUE, '2024-03-01 12:01:00'),
  (3, NULL, 13, 5, TRUE, NULL);

INSERT INTO old_prices VALUES (10, '2023-01-01', 11.50), (10, '2024-01-01', 11.90), (12, '2023-01-01', 79.00);

-- ---------------------------------------------------------------------------------------- daily work
-- Values change, values become NULL, NULL becomes a value.
UPDATE customers SET email = NULL, birthday = NULL WHERE id = 1;
UPDATE customers SET first_name = 'Jana', email = 'brot@example.com', note = NULL WHERE id = 4;

-- One statement updates several rows; each row has its own old values (the labels of row 10 stay).
UPDATE products SET price = price * 2, labels = 'organic,gift' WHERE id IN (10, 12, 13);
-- A new picture, new bits, another JSON document.
UPDATE products
   SET thumbnail = x'FFD8FFE000104A464946', flags = flags | b'10000000', attributes = '{"origin": "Uji", "grams": 200, "tags": []}'
 WHERE id = 10;
UPDATE products SET lead_time = '-838:59:59', shelf_code = x'01020300' WHERE id = 11;
UPDATE products
   SET rating = NULL, weight_kg = NULL, discontinued = NULL, ean = 18446744073709551614, unit_cost = 41.000000000000000000000000000001
 WHERE id = 12;

-- A purchase: several tables in one transaction.
BEGIN;
UPDATE orders SET status = 'paid', paid_at = '2024-03-01 12:30:00' WHERE id = 1001;
UPDATE orders SET status = 'paid', paid_at = '2024-03-01 12:30:01' WHERE id = 1002;
DELETE FROM carts WHERE id = 3;
COMMIT;
-- Status goes on, several orders at once.
UPDATE orders SET status = 'shipped' WHERE status = 'paid';

-- A transaction that is rolled back leaves nothing in the log.
BEGIN;
INSERT INTO orders (id, customer_id, status, total, ordered_at) VALUES (1999, 1, 'open', 1, '2024-03-01 13:00:00');
UPDATE customers SET tier = 'gold' WHERE id = 5;
DELETE FROM order_items WHERE order_id = 1004;
ROLLBACK;

-- Insert, delete and insert of one key in one transaction: the last image counts.
BEGIN;
INSERT INTO orders (id, customer_id, status, total, ordered_at) VALUES (1006, 2, 'open', 10.00, '2024-03-01 13:10:00');
DELETE FROM orders WHERE id = 1006;
INSERT INTO orders (id, customer_id, status, total, ordered_at, remark)
VALUES (1006, 2, 'open', 11.00, '2024-03-01 13:11:00', 'second try 🙂');
COMMIT;

-- Upsert: an INSERT for the new key, an UPDATE for the one that is there.
INSERT INTO carts VALUES (2, 3, 11, 1, FALSE, '2024-03-01 13:20:00'), (4, NULL, 12, 1, FALSE, NULL)
  ON DUPLICATE KEY UPDATE customer_id = VALUES(customer_id), quantity = quantity + VALUES(quantity);

-- A key changes: the customer of the predecessor gets a number of ours. The old key appears in `old` only.
UPDATE customers SET id = 6, note = 'was 18446744073709551615' WHERE id = 18446744073709551615;
UPDATE orders SET customer_id = 6 WHERE customer_id = 18446744073709551615;
-- The number that was given up is taken by somebody else.
INSERT INTO customers (id, last_name, tier, registered_at)
VALUES (18446744073709551615, 'House account', 'new', '2024-03-01 14:00:00');

-- A composite key changes: make room for a line 1. In one message 4 comes from 3, 3 from 2, 2 from 1.
UPDATE order_items SET line_no = line_no + 1 WHERE order_id = 1003 ORDER BY line_no DESC;
INSERT INTO order_items (order_id, line_no, product_id, quantity, unit_price) VALUES (1003, 1, 12, 1, 179);
-- The other part of the key changes: a line moves to another order.
UPDATE order_items SET order_id = 1005, line_no = 1 WHERE order_id = 1003 AND line_no = 4;

-- One statement deletes several rows: lines of two orders.
DELETE FROM order_items WHERE order_id = 1004 OR product_id = 13;
DELETE FROM orders WHERE id = 1004;
-- A row comes back later under the same key.
INSERT INTO orders VALUES (1004, 4, 'cancelled', 1290.00, '2024-03-01 11:00:00', NULL, NULL);

-- ---------------------------------------------------------------------------------------- night
-- TRUNCATE is no DELETE: the message names the table and no rows.
TRUNCATE TABLE carts;
INSERT INTO carts VALUES (1, 2, 11, 2, FALSE, '2024-03-02 00:00:01.5'), (7, NULL, 10, 1, TRUE, NULL);

-- ---------------------------------------------------------------------------------------- next day
-- A new column in the middle of the table. Rows 2 and 3 are not touched any more: they have no value for it.
ALTER TABLE customers ADD COLUMN phone VARCHAR(24) NULL AFTER email;
INSERT INTO customers (id, first_name, last_name, email, phone, tier, registered_at) VALUES
  (7, 'Noor', 'al-Sayed', 'noor@example.com', '+31 20 555 0101', 'new', '2024-03-02 08:00:00'),
  (8, 'José', 'Peña', NULL, NULL, 'new', '2024-03-02 08:00:00.000001');
UPDATE customers SET phone = '+33 1 55 55 01 02', tier = 'gold' WHERE id = 1;
DELETE FROM customers WHERE id = 5;
UPDATE carts SET quantity = 3, changed_at = '2024-03-02 09:00:00.750' WHERE id = 7;
DELETE FROM products WHERE id = 13;

-- A table goes away for good.
DROP TABLE old_prices;
