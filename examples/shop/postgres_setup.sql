-- The warehouse's database (PostgreSQL). The rows written here exist before Debezium starts: they come out
-- of its snapshot (op "r").

CREATE DATABASE warehouse;
\connect warehouse

CREATE TYPE carrier AS ENUM ('post', 'express', 'bike, local');

CREATE TABLE warehouses (
  id        smallint PRIMARY KEY,
  name      text NOT NULL,
  city      varchar(60),
  opened_on date,
  is_active boolean NOT NULL
);

-- The key's order (warehouse_id, product_id) is not the order of the columns.
CREATE TABLE stock (
  product_id   integer NOT NULL,
  warehouse_id smallint NOT NULL,
  on_hand      integer NOT NULL,
  reorder_at   numeric(12, 3),
  PRIMARY KEY (warehouse_id, product_id)
);

-- One column of every type that is easily damaged on the way.
CREATE TABLE shipments (
  id            uuid PRIMARY KEY,
  order_id      bigint NOT NULL,
  carrier       carrier NOT NULL,
  created_at    timestamptz NOT NULL,
  packed_at     timestamp(6),
  ship_on       date,
  pickup_time   time,
  cost          numeric,              -- no scale: every row has its own
  insured_value numeric(38, 10),
  is_fragile    boolean,
  tags          text[],
  details       jsonb,
  label         bytea,
  distance_km   double precision,
  weight_kg     real,
  transit_time  interval,
  notes         text                  -- long ones are stored outside of the row (TOAST)
);

-- REPLICA IDENTITY FULL: updates and deletes carry the whole old row.
CREATE TABLE parcel_events (
  id          bigint PRIMARY KEY,
  shipment_id uuid NOT NULL,
  event       text NOT NULL,
  happened_at timestamptz NOT NULL,
  place       text
);
ALTER TABLE parcel_events REPLICA IDENTITY FULL;

-- Emptied with TRUNCATE every night.
CREATE TABLE picking_list (
  id         integer PRIMARY KEY,
  order_id   bigint NOT NULL,
  product_id integer NOT NULL,
  quantity   smallint NOT NULL,
  picker     text
);

INSERT INTO warehouses VALUES
  (1, 'Main hall', 'Köln', '2015-05-04', true),
  (2, 'Dépôt nord', 'Lille', '2019-11-30', true),
  (3, 'Old barn', NULL, '1969-12-31', false);

INSERT INTO stock VALUES (10, 1, 120, 25.000), (11, 1, 4, 0.500), (12, 1, 7, NULL), (10, 2, 30, 10.125), (13, 2, 0, 999999999.999);

-- Notes of 9.6 kB that do not compress well (hex digits): certain to be stored outside of the row.
INSERT INTO shipments VALUES
  ('00000000-0000-4000-8000-000000000001', 1001, 'post', '2024-03-01 10:15:00.123456+00', '2024-03-01 11:00:00.000001', '2024-03-01', '16:30:00', 4.90, 25.8000000000,
   false, '{gift,"to sign, please"}', '{"parts": 1, "box": {"w": 20.50, "h": 1e1}}', '\x00ff10', 512.25, 0.6, '2 days 03:04:05.678', 'leave at the door 📦'),
  ('00000000-0000-4000-8000-000000000002', 1002, 'express', '2024-03-01 12:45:00+02', NULL, NULL, NULL, NULL, NULL,
   NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL),
  ('00000000-0000-4000-8000-000000000003', 1003, 'bike, local', '2024-03-01 11:00:00+00', '1999-12-31 23:59:59.999999', '1969-07-20', '23:59:59.999999', 123456789012345678901234567890.123456789, -9999999999999999999999999999.9999999999,
   true, '{}', '[]', '\x', 0.1, 1.5, '-00:00:01', (SELECT string_agg(md5('scan 3/' || i), '') FROM generate_series(1, 300) AS i)),
  ('00000000-0000-4000-8000-000000000004', 1004, 'post', '2024-03-01 11:30:00+00', NULL, '2024-03-04', '08:00:00', 0, 0,
   false, ARRAY['heavy', NULL], '{"customs": {"hs": "0902", "note": "Tee \"grün\""}}', NULL, 1e-7, 12500000, '00:00:00', (SELECT string_agg(md5('scan 4/' || i), '') FROM generate_series(1, 300) AS i));

INSERT INTO parcel_events VALUES
  (1, '00000000-0000-4000-8000-000000000001', 'created', '2024-03-01 10:15:00.123456+00', NULL),
  (2, '00000000-0000-4000-8000-000000000001', 'picked up', '2024-03-01 16:31:12+00', 'Köln'),
  (3, '00000000-0000-4000-8000-000000000002', 'created', '2024-03-01 10:45:00+00', NULL);

INSERT INTO picking_list VALUES (1, 1001, 10, 2, 'Ana'), (2, 1002, 12, 1, NULL), (3, 1003, 10, 1, 'Ben');
