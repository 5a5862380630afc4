// Reads the progress of deliveries, and whether they are free: no process holds them, or the lease was written before
// the clock was set back.
UNWIND $rows AS row
MATCH (delivery:Delivery {subscriptionId: row.subscriptionId})
RETURN row.at AS at, delivery{.*} AS node, coalesce(delivery.until, 0) < timestamp()
  OR coalesce(delivery.until, 0) > timestamp() + coalesce(delivery.forMs, 3600000) AS isFree
