// Answers how living tests went last.
UNWIND $ids AS id
MATCH (test:Entity {id: id})
WHERE test:LiveTestCase
RETURN id, test.testCaseStatus AS status
