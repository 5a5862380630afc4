"""Makes or changes a small SQLite database: make_shop.py FILE [STATEMENT ...]."""

import sqlite3
import sys

SHOP = [
    "create table customers(id integer primary key, email varchar(100) not null, name text, created timestamp)",
    "create table orders(id integer primary key, customer_id integer references customers(id),"
    " total numeric(10,2), placed date)",
    "create table order_items(id integer primary key, order_id integer references orders(id), sku text, qty integer)",
    "create view customer_totals as select c.id, c.email, sum(o.total) as total"
    " from customers c join orders o on o.customer_id = c.id group by c.id, c.email",
    "insert into customers values (1, 'a@example.com', 'Ann', '2024-01-01 00:00:00'),"
    " (2, 'b@example.com', null, '2024-01-02 00:00:00')",
    "insert into orders values (1, 1, 10.5, '2024-02-01'), (2, 1, 20, '2024-02-02'), (3, 2, 5, '2024-02-03')",
    "insert into order_items values (1, 1, 'x', 1), (2, 2, 'y', 3)",
]

path, *statements = sys.argv[1:]
with sqlite3.connect(path) as database:
    for statement in statements or SHOP:
        database.execute(statement)
