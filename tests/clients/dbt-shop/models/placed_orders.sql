select id, customer_id, total from {{ ref('orders') }}
