-- Two days of the warehouse, run while Debezium reads the write-ahead log. A statement outside
-- BEGIN ... COMMIT is a transaction of its own.

\connect warehouse

-- ---------------------------------------------------------------------------------------- warehouses
INSERT INTO warehouses VALUES (4, 'Pop-up store', 'Wien', '2024-03-01', true), (5, 'Test', NULL, NULL, false);
UPDATE warehouses SET city = 'Aachen' WHERE id = 3;
UPDATE warehouses SET name = 'Dépôt nord 🏭', opened_on = NULL WHERE id = 2;
-- A delete is two records: op "d" and a tombstone (value null).
DELETE FROM warehouses WHERE id = 5;
-- A key change is three: "d" and tombstone for the old key, "c" for the new one, linked by headers.
UPDATE warehouses SET id = 14 WHERE id = 4;
-- The key that was given up is taken by another row.
INSERT INTO warehouses VALUES (4, 'Airport', 'Wien', '2024-03-02', true);

-- ---------------------------------------------------------------------------------------- stock
INSERT INTO stock VALUES (11, 2, 15, 1.250), (12, 2, 1, 0);
-- One statement, several rows: a record for each.
UPDATE stock SET on_hand = on_hand - 1 WHERE warehouse_id = 1;
-- Several changes of one key in one transaction; only the last one counts.
BEGIN;
UPDATE stock SET on_hand = 100 WHERE warehouse_id = 2 AND product_id = 10;
UPDATE stock SET on_hand = 90, reorder_at = 12.5 WHERE warehouse_id = 2 AND product_id = 10;
DELETE FROM stock WHERE warehouse_id = 2 AND product_id = 10;
INSERT INTO stock VALUES (10, 2, 80, NULL);
UPDATE stock SET on_hand = 79 WHERE warehouse_id = 2 AND product_id = 10;
COMMIT;
-- A transaction that is rolled back leaves no record.
BEGIN;
INSERT INTO stock VALUES (99, 1, 1, 1);
DELETE FROM stock WHERE warehouse_id = 2;
ROLLBACK;
-- A composite key changes: goods move to another warehouse.
UPDATE stock SET warehouse_id = 3 WHERE warehouse_id = 2 AND product_id = 12;
DELETE FROM stock WHERE product_id = 13;
-- A new column. Rows that are not touched any more have no value for it.
ALTER TABLE stock ADD COLUMN reserved integer;
INSERT INTO stock VALUES (14, 1, 50, 5, 8), (14, 2, 60, NULL, NULL);
UPDATE stock SET reserved = 3 WHERE warehouse_id = 1 AND product_id = 10;

-- ---------------------------------------------------------------------------------------- shipments
INSERT INTO shipments (id, order_id, carrier, created_at, cost, tags, weight_kg, notes) VALUES
  ('00000000-0000-4000-8000-000000000005', 1005, 'express', '2024-03-02 07:00:00.5+00', -0.000000001, '{one}', 0.1, 'short'),
  ('00000000-0000-4000-8000-000000000006', 1006, 'post', '2024-03-02 07:00:01+00', 1e20, NULL, NULL,
   (SELECT string_agg(md5('scan 6/' || i), '') FROM generate_series(1, 300) AS i));
UPDATE shipments SET packed_at = '2024-03-02 08:00:00.25', cost = 12.3400, insured_value = 0.0000000001, transit_time = '1 day' WHERE order_id = 1002;
-- A short text is always sent whole ...
UPDATE shipments SET carrier = 'express' WHERE order_id = 1001;
-- ... a long one that did not change is not: the record has a placeholder. Twice, so that the value must be
-- looked up further back than the record before.
UPDATE shipments SET ship_on = '2024-03-02' WHERE order_id = 1003;
UPDATE shipments SET details = '{"parts": 2}', label = '\xdeadbeef', is_fragile = false WHERE order_id = 1003;
-- The key of such a row changes: the "c" of the new key has the placeholder, the value is under the old key.
UPDATE shipments SET id = '00000000-0000-4000-8000-000000000104' WHERE id = '00000000-0000-4000-8000-000000000004';
UPDATE shipments SET tags = tags || '{moved}' WHERE id = '00000000-0000-4000-8000-000000000104';
-- Placeholder and a new long value in one transaction.
BEGIN;
UPDATE shipments SET cost = 5 WHERE order_id = 1006;
UPDATE shipments SET notes = (SELECT string_agg(md5('new scan 6/' || i), '') FROM generate_series(1, 300) AS i) WHERE order_id = 1006;
UPDATE shipments SET cost = 6.50 WHERE order_id = 1006;
COMMIT;
-- A long value becomes NULL: null is not the placeholder. A NULL becomes a value.
UPDATE shipments SET notes = NULL, tags = NULL WHERE order_id = 1003;
UPDATE shipments SET notes = 'found', details = 'null' WHERE order_id = 1002;
-- Values of one row become NULL.
UPDATE shipments SET insured_value = NULL, details = NULL, label = NULL, transit_time = NULL, pickup_time = NULL WHERE order_id = 1001;
DELETE FROM shipments WHERE order_id = 1005;

-- ---------------------------------------------------------------------------------------- parcel_events
INSERT INTO parcel_events VALUES (4, '00000000-0000-4000-8000-000000000002', 'lost', '2024-03-02 09:00:00+00', 'Lille');
UPDATE parcel_events SET event = 'found', place = NULL WHERE id = 4;
UPDATE parcel_events SET id = 40 WHERE id = 4;
DELETE FROM parcel_events WHERE shipment_id = '00000000-0000-4000-8000-000000000001' AND id < 3;
INSERT INTO parcel_events VALUES (1, '00000000-0000-4000-8000-000000000006', 'created', '2024-03-02 09:30:00+00', NULL);

-- ---------------------------------------------------------------------------------------- picking_list
UPDATE picking_list SET picker = 'Cem' WHERE picker IS NULL;
INSERT INTO picking_list VALUES (4, 1004, 10, 100, 'Ana');
DELETE FROM picking_list WHERE id = 1;
-- One record without key and rows: op "t".
TRUNCATE picking_list;
INSERT INTO picking_list VALUES (1, 1005, 11, 1, NULL), (5, 1006, 12, 3, 'Ben');
UPDATE picking_list SET quantity = 2 WHERE id = 5;
