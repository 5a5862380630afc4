// Lists tests with the values that documents of contracts contain.
UNWIND $ids AS id
MATCH (test:Entity {id: id})-[:DEFINED_BY]->(definition:Entity)
WHERE test:LiveTestCase
RETURN id, test.name AS name, test.displayName AS displayName, test.description AS description,
  definition.fullyQualifiedName AS testDefinition, test.columnName AS columnName, test.parameterValuesJson AS valuesJson
