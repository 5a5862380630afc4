// Saves the progress of deliveries that the process still holds, and renews or releases their leases. Answers a pending
// target position.
UNWIND $rows AS row
MATCH (delivery:Delivery {subscriptionId: row.subscriptionId})
SET delivery.touchedAt = timestamp()
WITH delivery, row
WHERE delivery.holder = row.holder
SET delivery += row.changes,
  delivery.until = CASE WHEN row.forMs > 0 THEN timestamp() + row.forMs ELSE 0 END,
  delivery.forMs = CASE WHEN row.forMs > 0 THEN row.forMs ELSE delivery.forMs END,
  delivery.holder = CASE WHEN row.forMs > 0 THEN row.holder END,
  delivery.goTo = CASE WHEN delivery.goTo > row.reached THEN delivery.goTo END
RETURN row.at AS at, delivery.goTo AS goTo
