// Lets the delivery to subscriptions begin after a number; one that has begun goes on from where it is.
UNWIND $rows AS row
MATCH (subscription:Entity {id: row.subscriptionId})
MERGE (delivery:Delivery {subscriptionId: row.subscriptionId})
ON CREATE SET delivery.seq = row.seq, delivery.startSeq = row.seq, delivery.succeeded = 0, delivery.failed = 0
MERGE (subscription)-[:HAS_DELIVERY]->(delivery)
RETURN row.at AS at
