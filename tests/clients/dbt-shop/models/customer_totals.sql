select c.id as customer_id, c.email, sum(o.total) as total
from {{ ref('known_customers') }} c
join {{ ref('placed_orders') }} o on o.customer_id = c.id
group by c.id, c.email
