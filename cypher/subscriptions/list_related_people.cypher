// Lists the people who own or follow records, each once with the positions of those records, in the order of user ids.
// For removed records the deletion event stores the followers and owners. Bots, people without an address and those who
// have ended the mails of the subscription are left out.
UNWIND $rows AS row
CALL (row) {
  MATCH (:Entity {id: row.entityId})<-[:FOLLOWS]-(person:User)
  WHERE $followers
  RETURN person
  UNION
  MATCH (deletion:ChangeEvent {id: row.deletionId})
  UNWIND CASE WHEN $followers THEN deletion.followerIds ELSE [] END AS personId
  MATCH (person:Entity {id: personId})
  WHERE person:User
  RETURN person
  UNION
  CALL (row) {
    MATCH path = (:Entity {id: row.entityId})<-[:CONTAINS*0..50]-(:Entity)<-[:OWNS]-(owner:Entity WHERE NOT owner.deleted)
    WHERE $owners
    WITH length(path) AS distance, collect(owner) AS owners
    ORDER BY distance
    LIMIT 1
    UNWIND owners AS owner
    RETURN owner
    UNION
    MATCH (deletion:ChangeEvent {id: row.deletionId})
    UNWIND CASE WHEN $owners THEN deletion.ownerIds ELSE [] END AS ownerId
    MATCH (owner:Entity {id: ownerId} WHERE NOT owner.deleted)
    RETURN owner
  }
  MATCH (owner)-[:HAS_MEMBER*0..1]->(person:User)
  RETURN person
}
WITH row, person
WHERE NOT person.deleted AND NOT coalesce(person.isBot, false) AND person.email IS NOT NULL
  AND NOT EXISTS { (person)-[:OPTED_OUT_OF]->(:Entity {id: $subscriptionId}) }
WITH person.id AS userId, person.name AS name, person.email AS email, collect(DISTINCT row.at) AS positions
RETURN userId, name, email, positions
ORDER BY userId
LIMIT toInteger($limit)
