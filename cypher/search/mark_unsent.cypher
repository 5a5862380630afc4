// Notes that what records are found by has changed and is not known to the other engine yet.
OPTIONAL MATCH (feeding:Feeding {name: 'typesense'})
// Nobody removes a note while it is looked for.
SET feeding.turn = 0
WITH feeding
UNWIND $rows AS row
MERGE (unsent:Unsent {entityId: row.id})
ON CREATE SET unsent.since = timestamp()
SET unsent.entityType = row.entityType, unsent.times = coalesce(unsent.times, 0) + 1, unsent.retryAt = 0
RETURN row.id AS id
