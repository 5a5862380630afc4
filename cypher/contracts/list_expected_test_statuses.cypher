// Lists the latest status of live tests.
UNWIND $ids AS id
MATCH (test:Entity {id: id})
WHERE test:LiveTestCase
RETURN id, test.testCaseStatus AS status
