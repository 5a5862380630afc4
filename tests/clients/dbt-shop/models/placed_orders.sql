select id, customer_id, total, placed_on from {{ ref('orders') }}
