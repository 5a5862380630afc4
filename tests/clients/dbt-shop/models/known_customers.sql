select id, email, name from {{ ref('customers') }}
