// Creates notifications about events, one per user and event.
UNWIND $rows AS row
WITH row, $events[toInteger(row.at)] AS about
MATCH (person:Entity {id: row.userId})
MATCH (event:ChangeEvent {id: about.changeEventId})
MERGE (note:Notification {id: row.id})
ON CREATE SET note += about, note.userId = row.userId, note.reason = row.reasons[0], note.reasons = row.reasons,
  note.unread = about.place
MERGE (note)-[:ADDRESSED_TO]->(person)
MERGE (note)-[:ABOUT]->(event)
RETURN count(*) AS told
