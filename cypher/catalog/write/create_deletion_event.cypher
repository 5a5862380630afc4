// Creates the deletion events of records, marks the records for the search index, and stores their followers and
// owners, because the edges will be gone. The record is locked first, so that nobody can start to follow it.
UNWIND $rows AS row
MATCH (n:Entity {id: row.entityId})
SET n.entityType = n.entityType
CREATE (event:ChangeEvent:Unsequenced)
// A deletion is the last event of its record, so its revision is larger than all others.
SET event = row.event, event.revision = 9007199254740991,
  event.followerIds = COLLECT { MATCH (n)<-[:FOLLOWS]-(person:User) RETURN person.id LIMIT 100000 },
  event.ownerIds = COLLECT {
    MATCH path = (n)<-[:CONTAINS*0..50]-(:Entity)<-[:OWNS]-(owner:Entity WHERE NOT owner.deleted)
    WITH length(path) AS distance, collect(owner.id) AS ids
    ORDER BY distance
    LIMIT 1
    UNWIND ids AS id
    RETURN id
  }
MERGE (mark:Dirty {entityId: row.entityId})
SET mark.entityType = row.event.entityType, mark.revision = null
WITH collect({at: row.at, n: n, event: event}) AS told
CALL (told) {
  UNWIND told AS one
  WITH one.n AS n, one.event AS event
  MATCH (n)<-[:CONTAINS|PARENT_OF*1..50]-(above:Entity)
  WITH DISTINCT event, above
  WITH above, collect(event) AS events
  MATCH (above)<-[:FOLLOWS]-(person:User)
  WHERE EXISTS { (person)-[:HAS_PREFERENCES]->(:NotificationPreferences {includeDescendants: true}) }
  WITH events, collect(person.id) AS ids
  UNWIND events AS event
  SET event.followerIds = event.followerIds + ids
}
UNWIND told AS one
RETURN one.at AS at
