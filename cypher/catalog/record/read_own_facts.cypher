// Returns the facts that records hold themselves, as far as each row requests them, and the parent from which each
// record inherits the rest.
UNWIND $rows AS row
MATCH (n:Entity {id: row.id})
RETURN
  row.at AS at,
  CASE WHEN row.owners OR row.domains THEN head([(n)<-[:CONTAINS]-(parent:Entity) | parent.id]) END AS parentId,
  CASE WHEN row.owners THEN COLLECT {
    MATCH (n)<-[:OWNS]-(o:Entity)
    WHERE NOT o.deleted
    RETURN {
      id: o.id,
      isTeam: o.entityType = 'team',
      teamIds: [(o)<-[:HAS_MEMBER]-(t:Team WHERE NOT t.deleted) | t.id],
      distance: 0
    }
  } END AS owners,
  CASE WHEN row.domains THEN COLLECT {
    MATCH (n)-[:IN_DOMAIN]->(d:Entity)
    WHERE NOT d.deleted
    RETURN {id: d.id, distance: 0}
  } END AS domains,
  CASE
    WHEN NOT row.tags THEN null
    // A test without labels of its own has those of what it tests.
    WHEN n.entityType = 'testCase' THEN COLLECT {
      MATCH (n)-[:TAGGED]->(t:Entity)
      WHERE NOT t.deleted
      RETURN DISTINCT t.fullyQualifiedName
      UNION
      MATCH (n)<-[:CONTAINS]-(:Table)-[:TAGGED]->(t:Entity)
      WHERE NOT t.deleted AND NOT EXISTS { (n)-[:TAGGED]->(own:Entity WHERE NOT own.deleted) }
      RETURN DISTINCT t.fullyQualifiedName
      UNION
      MATCH (n)-[:TESTS]->(:Column)-[:TAGGED]->(t:Entity)
      WHERE NOT t.deleted AND NOT EXISTS { (n)-[:TAGGED]->(own:Entity WHERE NOT own.deleted) }
      RETURN DISTINCT t.fullyQualifiedName
    }
    WHEN n.columnsUntagged THEN COLLECT {
      MATCH (n)-[:TAGGED]->(t:Entity)
      WHERE NOT t.deleted
      RETURN DISTINCT t.fullyQualifiedName
    }
    ELSE COLLECT {
      MATCH (n)-[:HAS_COLUMN*0..100]->()-[:TAGGED]->(t:Entity)
      WHERE NOT t.deleted
      RETURN DISTINCT t.fullyQualifiedName
    }
  END AS tags,
  CASE WHEN row.certification THEN n.certificationJson END AS certificationJson,
  // What a record is about: a contract or a test its asset, the suite of a contract that contract, and a query what it
  // reads.
  CASE
    WHEN NOT row.subjects THEN null
    WHEN n.entityType IN ['testCase', 'testSuite', 'dataContract'] THEN COLLECT {
      MATCH (n)<-[:CONTAINS|HAS_CONTRACT]-(subject:Entity)
      RETURN DISTINCT subject{.id, .entityType}
      UNION
      MATCH (n)<-[:PARENT_OF]-(subject:DataContract)
      RETURN DISTINCT subject{.id, .entityType}
    }
    WHEN n.entityType = 'query' THEN [(n)-[:MENTIONED_IN]->(subject:Entity) | subject{.id, .entityType}]
    ELSE []
  END AS subjects
