// Lists the columns of some records, and the records that represent their columns, that are made from others.
UNWIND $ids AS id
MATCH (n:Entity {id: id})
CALL (n) {
  MATCH (n)-[:HAS_COLUMN*1..100]->(column:Column)
  WHERE EXISTS { (column)<-[:DERIVES]-() }
  RETURN column.key AS key
  UNION ALL
  MATCH (n)-[:SHOWS]->(part:Entity)
  WHERE part.entityType = 'chart' AND NOT part.deleted AND EXISTS { (part)<-[:DERIVES]-() }
  RETURN part.id AS key
}
WITH DISTINCT key
LIMIT toInteger($limit)
RETURN key
