// Lists the addressees of events and the reasons, each user once per event and in the order of user ids, without the
// actor and without users who declined. For removed records the deletion event stores the followers and owners.
UNWIND $rows AS row
CALL (row) {
  CALL (row) {
    MATCH (:Entity {id: row.entityId})<-[:FOLLOWS]-(person:User)
    RETURN person, 'follower' AS tie
    UNION ALL
    // A failing test also concerns the followers of its table.
    MATCH (test:Entity {id: row.entityId})<-[:CONTAINS]-(:Entity)<-[:FOLLOWS]-(person:User)
    WHERE row.isTestFailing
    RETURN person, 'follower' AS tie
    UNION ALL
    UNWIND row.above AS aboveId
    MATCH (:Entity {id: aboveId})<-[:FOLLOWS]-(person:User)
    WHERE EXISTS { (person)-[:HAS_PREFERENCES]->(:NotificationPreferences {includeDescendants: true}) }
    RETURN person, 'follower' AS tie
    UNION ALL
    MATCH (farewell:ChangeEvent {id: row.farewellId})
    UNWIND farewell.followerIds AS personId
    MATCH (person:Entity {id: personId})
    WHERE person:User
    RETURN person, 'follower' AS tie
    UNION ALL
    CALL (row) {
      MATCH path = (:Entity {id: row.entityId})<-[:CONTAINS*0..50]-(:Entity)<-[:OWNS]-(owner:Entity WHERE NOT owner.deleted)
      WITH length(path) AS distance, collect(owner) AS owners
      ORDER BY distance
      LIMIT 1
      UNWIND owners AS owner
      RETURN owner
      UNION
      // A failing contract concerns the followers and owners of its record, whoever owns the contract.
      MATCH path = (:Entity {id: row.entityId})<-[:HAS_CONTRACT]-(:Entity)<-[:CONTAINS*0..50]-(:Entity)<-[:OWNS]-(owner:Entity WHERE NOT owner.deleted)
      WHERE row.isFailing
      WITH length(path) AS distance, collect(owner) AS owners
      ORDER BY distance
      LIMIT 1
      UNWIND owners AS owner
      RETURN owner
      UNION
      MATCH (farewell:ChangeEvent {id: row.farewellId})
      UNWIND farewell.ownerIds AS ownerId
      MATCH (owner:Entity {id: ownerId} WHERE NOT owner.deleted)
      RETURN owner
    }
    MATCH (owner)-[:HAS_MEMBER*0..1]->(person:User)
    RETURN person, 'owner' AS tie
    UNION ALL
    CALL (row) {
      WITH row WHERE row.downstream
      // Downstream of a test is what derives from its table, and downstream of a failing contract is what derives from
      // its record.
      CALL (row) {
        MATCH (source:Entity {id: row.entityId})
        RETURN source
        UNION ALL
        MATCH (test:Entity {id: row.entityId})<-[:CONTAINS]-(source:Entity)
        WHERE test.entityType = 'testCase'
        RETURN source
        UNION ALL
        MATCH (source:Entity)-[:HAS_CONTRACT]->(:Entity {id: row.entityId})
        WHERE row.isFailing
        RETURN source
      }
      MATCH (source)-[:FEEDS]->(next:Entity WHERE NOT next.deleted)
      WITH next
      LIMIT 1000
      CALL (next) {
        MATCH path = (next)<-[:CONTAINS*0..50]-(:Entity)<-[:OWNS]-(owner:Entity WHERE NOT owner.deleted)
        WITH length(path) AS distance, collect(owner) AS owners
        ORDER BY distance
        LIMIT 1
        UNWIND owners AS owner
        RETURN owner
      }
      RETURN DISTINCT owner
    }
    MATCH (owner)-[:HAS_MEMBER*0..1]->(person:User)
    WHERE EXISTS { (person)-[:HAS_PREFERENCES]->(wish:NotificationPreferences) WHERE 'downstream' IN wish.reasons }
      OR (row.isFailing AND NOT EXISTS { (person)-[:HAS_PREFERENCES]->(:NotificationPreferences) })
    RETURN person, 'downstream' AS tie
    UNION ALL
    UNWIND row.names AS name
    MATCH (person:User {fullyQualifiedName: name})
    RETURN person, 'named' AS tie
    UNION ALL
    MATCH (person:User {isAdmin: true})
    WHERE row.admins
    RETURN person, 'admin' AS tie
  }
  WITH row, person, collect(DISTINCT tie) AS ties
  WHERE person.id > row.after AND NOT person.deleted AND NOT person.name IN row.without
  OPTIONAL MATCH (person)-[:HAS_PREFERENCES]->(wish:NotificationPreferences)
  WITH row, person, ties,
    // Downstream owners hear of failing contracts without asking for it.
    coalesce(wish.reasons, CASE WHEN row.isFailing THEN ['follower', 'owner', 'downstream'] ELSE ['follower', 'owner'] END) AS reasons,
    coalesce(wish.enabled, true) AS wants,
    row.isNotable AND coalesce(row.eventType IN wish.eventTypes, true) AS wantsEvent
  WHERE wants
  WITH person.id AS userId,
    [reason IN ['follower', 'owner', 'downstream'] WHERE wantsEvent AND reason IN ties AND reason IN reasons] +
    CASE WHEN any(tie IN ties WHERE tie IN row.subscribed) THEN ['subscription'] ELSE [] END AS found
  WHERE size(found) > 0
  RETURN userId, found AS reasons
  ORDER BY userId
  LIMIT toInteger($limit)
}
RETURN row.at AS at, userId, reasons
ORDER BY at, userId
LIMIT toInteger($limit)
