// Records what happens to records that are about to go, marks them for the search index, and remembers whom it will have to be told when their edges are gone. They are locked first, so that nobody comes to follow them any more.
UNWIND $rows AS row
MATCH (n:Entity {id: row.entityId})
SET n.entityType = n.entityType
CREATE (event:ChangeEvent:Unsequenced)
// Nothing of the record comes after it, so its number is beyond all revisions.
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
  WHERE EXISTS { (person)-[:PREFERS]->(:NotificationPreferences {includeDescendants: true}) }
  WITH events, collect(person.id) AS ids
  UNWIND events AS event
  SET event.followerIds = event.followerIds + ids
}
UNWIND told AS one
RETURN one.at AS at
