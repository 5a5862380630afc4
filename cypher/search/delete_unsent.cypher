// Removes the queue entries of records that were sent. A record that has changed in the meantime keeps its entry.
// Writers of entries take the same lock, because a write to an entry that was just removed would be lost silently.
MATCH (feeding:Feeding {name: 'typesense'})
SET feeding.turn = 0
WITH feeding
UNWIND $rows AS row
MATCH (unsent:Unsent {entityId: row.id})
WHERE unsent.times = row.times
DELETE unsent
RETURN row.id AS id
