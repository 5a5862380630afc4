// Leases deliveries to one process where no other process holds them. The lock comes before the check. A lease that
// lasts longer than its term was written before the clock was set back, so its term starts again.
UNWIND $rows AS row
MATCH (delivery:Delivery {subscriptionId: row.subscriptionId})
SET delivery.touchedAt = timestamp()
WITH delivery, row, timestamp() AS now, coalesce(delivery.forMs, row.forMs) AS forMs
SET delivery.until = CASE WHEN delivery.until > now + forMs THEN now + forMs ELSE coalesce(delivery.until, 0) END
WITH delivery, row, now
WHERE coalesce(delivery.holder = row.holder, false) OR delivery.until < now
SET delivery.holder = row.holder, delivery.until = now + row.forMs, delivery.forMs = row.forMs
RETURN row.at AS at, delivery{.*} AS node
