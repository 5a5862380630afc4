create schema sales;
create schema stock;
create schema scratch;
comment on schema sales is 'What customers bought';

create type sales.state as enum ('open', 'paid');

create table sales.customers (
  id serial primary key,
  email varchar(100) not null unique,
  name text,
  labels text[],
  extra jsonb,
  created timestamptz default now()
);
comment on table sales.customers is 'Who buys';
comment on column sales.customers.email is 'Where to write to';

create table sales.orders (
  id bigint generated always as identity primary key,
  customer_id integer not null references sales.customers (id),
  total numeric(10, 2),
  state sales.state,
  placed date
);

create table stock.order_items (
  order_id bigint references sales.orders (id),
  position smallint,
  sku text,
  weight double precision,
  primary key (order_id, position)
);

create table stock.movements (moved date, sku text) partition by range (moved);
create table stock.movements_2024 partition of stock.movements for values from ('2024-01-01') to ('2025-01-01');

create table scratch.notes (text text);

create view sales.customer_totals as
  select c.id, c.email, sum(o.total) as total
  from sales.customers c join sales.orders o on o.customer_id = c.id
  group by c.id, c.email;

create materialized view stock.heavy_items as select order_id, sku from stock.order_items where weight > 10;

create policy own_rows on sales.customers using (email = current_user);

create function sales.total_of(customer integer) returns numeric language sql
  as 'select sum(total) from sales.orders where customer_id = customer';

create procedure stock.forget(item text) language plpgsql
  as 'begin delete from stock.order_items where sku = item; end';

insert into sales.customers (email, name) values ('a@example.com', 'Ann'), ('b@example.com', null);
insert into sales.orders (customer_id, total, state, placed) values
  (1, 10.5, 'paid', '2024-02-01'), (1, 20, 'open', '2024-02-02'), (2, 5, 'open', '2024-02-03');

create extension pg_stat_statements;

-- The profiler takes the number of rows from the statistics.
analyze;
