// Answers how far the delivery to subscriptions has come, and whether nobody has it at the moment, or its time was given before the clock was set back.
UNWIND $rows AS row
MATCH (delivery:Delivery {subscriptionId: row.subscriptionId})
RETURN row.at AS at, delivery{.*} AS node, coalesce(delivery.until, 0) < timestamp()
  OR coalesce(delivery.until, 0) > timestamp() + coalesce(delivery.forMs, 3600000) AS isFree
