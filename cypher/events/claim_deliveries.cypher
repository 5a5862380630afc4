// Gives the delivery to subscriptions to one process for a while, where no other has it. The lock comes before the look.
// One that is held longer than it was given for was given before the clock was set back: its time begins anew.
UNWIND $rows AS row
MATCH (delivery:Delivery {subscriptionId: row.subscriptionId})
SET delivery.touchedAt = timestamp()
WITH delivery, row, timestamp() AS now, coalesce(delivery.forMs, row.forMs) AS forMs
SET delivery.until = CASE WHEN delivery.until > now + forMs THEN now + forMs ELSE coalesce(delivery.until, 0) END
WITH delivery, row, now
WHERE coalesce(delivery.holder = row.holder, false) OR delivery.until < now
SET delivery.holder = row.holder, delivery.until = now + row.forMs, delivery.forMs = row.forMs
RETURN row.at AS at, delivery{.*} AS node
