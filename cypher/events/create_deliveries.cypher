// Creates deliveries that start after an event number; existing deliveries continue where they are.
UNWIND $rows AS row
MATCH (subscription:Entity {id: row.subscriptionId})
MERGE (delivery:Delivery {subscriptionId: row.subscriptionId})
ON CREATE SET delivery.seq = row.seq, delivery.startSeq = row.seq, delivery.succeeded = 0, delivery.failed = 0
MERGE (subscription)-[:HAS_DELIVERY]->(delivery)
RETURN row.at AS at
