// Counts the live tests of suites by target and latest status, grouped by the properties that decide whether the
// caller may see them.
UNWIND $ids AS id
MATCH (:Entity {id: id})-[:HAS_TEST]->(test:Entity)
WHERE NOT test.deleted AND NOT test.entityType IN $hiddenTypes
WITH
  id,
  CASE WHEN test.entityType IN $judgedTypes THEN [[test.id, test.entityType]] ELSE [] END AS judged,
  test.entityLink AS entityLink,
  test.target = 'column' AS isColumn,
  test.testCaseStatus AS status,
  count(*) AS count
RETURN id, judged, {entityLink: entityLink, isColumn: isColumn, status: status, count: count} AS row
LIMIT toInteger($limit)
