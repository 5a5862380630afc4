// Gives the delivery to subscriptions to one process for a while, where no other has it. The lock comes before the look.
UNWIND $rows AS row
MATCH (delivery:Delivery {subscriptionId: row.subscriptionId})
SET delivery.touchedAt = timestamp()
WITH delivery, row
WHERE coalesce(delivery.holder = row.holder, false) OR coalesce(delivery.until, 0) < timestamp()
SET delivery.holder = row.holder, delivery.until = timestamp() + row.forMs
RETURN row.at AS at, delivery{.*} AS node
