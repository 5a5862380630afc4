// Counts the live tests of suites by target and latest status.
UNWIND $ids AS id
MATCH (:Entity {id: id})-[:HAS_TEST]->(test:Entity)
WHERE NOT test.deleted
WITH id, test.entityLink AS entityLink, test.target = 'column' AS isColumn, test.testCaseStatus AS status, count(*) AS count
RETURN id, {entityLink: entityLink, isColumn: isColumn, status: status, count: count} AS row
