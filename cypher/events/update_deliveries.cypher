// Keeps how far deliveries have come, as long as they belong to the process that says so, and leaves them to it for longer. It hears where somebody wants one to go on.
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
