// Queues records whose documents have changed for Typesense.
OPTIONAL MATCH (feeding:Feeding {name: 'typesense'})
// The lock on the feeding node keeps queue entries from being removed during the merge.
SET feeding.turn = 0
WITH feeding
UNWIND $rows AS row
MERGE (unsent:Unsent {entityId: row.id})
ON CREATE SET unsent.since = timestamp()
SET unsent.entityType = row.entityType, unsent.times = coalesce(unsent.times, 0) + 1, unsent.retryAt = 0
RETURN row.id AS id
