// Answers how far the delivery to subscriptions has come, and whether nobody has it at the moment.
UNWIND $rows AS row
MATCH (delivery:Delivery {subscriptionId: row.subscriptionId})
RETURN row.at AS at, delivery{.*} AS node, coalesce(delivery.until, 0) < timestamp() AS isFree
