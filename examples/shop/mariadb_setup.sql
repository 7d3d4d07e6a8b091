-- The web shop's database (MariaDB): empty tables. Everything that is ever stored in them is in
-- mariadb_changes.sql, because Canal sends no snapshot: it begins at a place in the binary log.

CREATE DATABASE shop CHARACTER SET utf8mb4;
USE shop;

-- Canal's account.
CREATE USER canal@'%' IDENTIFIED BY 'canal';
GRANT SELECT, REPLICATION SLAVE, REPLICATION CLIENT, REPLICATION SLAVE ADMIN ON *.* TO canal@'%';

-- An unsigned 64-bit key, text in many scripts, an enum with a comma in a label, nullable columns.
CREATE TABLE customers (
  id            BIGINT UNSIGNED NOT NULL,
  first_name    VARCHAR(40) NULL,
  last_name     VARCHAR(40) NOT NULL,
  email         VARCHAR(120) NULL,
  tier          ENUM('new', 'regular', 'gold', 'wholesale, net 30') NOT NULL DEFAULT 'new',
  birthday      DATE NULL,
  note          TEXT NULL,
  registered_at TIMESTAMP(6) NOT NULL DEFAULT '2024-01-01 00:00:00',
  PRIMARY KEY (id)
);

-- One column of every type that is easily damaged on the way.
CREATE TABLE products (
  id             INT UNSIGNED NOT NULL,
  name           VARCHAR(80) NOT NULL,
  price          DECIMAL(20, 4) NOT NULL,
  unit_cost      DECIMAL(65, 30) NULL,      -- wider than Spark's 38 digits
  ean            BIGINT UNSIGNED NULL,      -- 18446744073709551615 means "no code yet"
  weight_kg      FLOAT NULL,
  rating         DOUBLE NULL,
  flags          BIT(8) NOT NULL DEFAULT b'0',
  labels         SET('organic', 'fragile', 'sale', 'gift') NOT NULL DEFAULT '',
  vintage        YEAR NULL,
  lead_time      TIME(6) NULL,              -- negative: ready before it is ordered; may exceed a day
  available_from DATETIME(6) NULL,
  discontinued   DATE NULL,
  shelf_code     BINARY(4) NULL,            -- padded with zero bytes
  checksum       VARBINARY(16) NULL,
  thumbnail      BLOB NULL,
  attributes     JSON NULL,
  PRIMARY KEY (id)
);

CREATE TABLE orders (
  id          BIGINT NOT NULL,
  customer_id BIGINT UNSIGNED NOT NULL,
  status      ENUM('open', 'paid', 'shipped', 'cancelled') NOT NULL,
  total       DECIMAL(12, 2) NOT NULL,
  ordered_at  DATETIME(6) NOT NULL,
  paid_at     TIMESTAMP NULL,
  remark      VARCHAR(200) NULL,
  PRIMARY KEY (id)
);

-- The key's order (order_id, line_no) is not the order of the columns.
CREATE TABLE order_items (
  line_no    SMALLINT UNSIGNED NOT NULL,
  product_id INT UNSIGNED NOT NULL,
  order_id   BIGINT NOT NULL,
  quantity   DECIMAL(10, 3) NOT NULL,
  unit_price DECIMAL(20, 4) NOT NULL,
  PRIMARY KEY (order_id, line_no)
);

-- Emptied with TRUNCATE every night.
CREATE TABLE carts (
  id          INT NOT NULL,
  customer_id BIGINT UNSIGNED NULL,
  product_id  INT UNSIGNED NOT NULL,
  quantity    SMALLINT NOT NULL,
  is_gift     BOOLEAN NOT NULL DEFAULT FALSE,
  changed_at  TIMESTAMP(3) NULL,
  PRIMARY KEY (id)
);

-- A leftover that is dropped in the end.
CREATE TABLE old_prices (
  product_id INT UNSIGNED NOT NULL,
  valid_from DATE NOT NULL,
  price      DECIMAL(12, 2) NOT NULL,
  PRIMARY KEY (product_id, valid_from)
);
