// Lists the worst latest status among the tests of records; those without a result are left out.
UNWIND $ids AS id
MATCH (n:Entity {id: id})
WITH n, head([status IN ['Failed', 'Aborted', 'Queued', 'Success']
  WHERE EXISTS { (n)-[:CONTAINS]->(:LiveTestCase {testCaseStatus: status}) }]) AS testStatus
WHERE testStatus IS NOT NULL
RETURN n.id AS id, testStatus
