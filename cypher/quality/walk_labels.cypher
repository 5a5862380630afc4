// Matches the labels that tests inherit from their targets: those of the table and, for a column test, those of the
// column too.
UNWIND $ids AS id
MATCH (test:Entity {id: id})<-[:CONTAINS]-(table:Table)
CALL (test, table) {
  MATCH (table)-[label:TAGGED]->(tag:Entity)
  WHERE NOT tag.deleted
  RETURN label, tag
  UNION ALL
  MATCH (test)-[:TESTS]->(:Column)-[label:TAGGED]->(tag:Entity)
  WHERE NOT tag.deleted
  RETURN label, tag
}
WITH id, tag, head(collect(label)) AS label
RETURN id, label{
  .*, labelType: 'Derived', tagId: tag.id, tagFQN: tag.fullyQualifiedName, name: tag.name, displayName: tag.displayName,
  description: tag.description, styleJson: tag.styleJson, entityType: tag.entityType
} AS row
