// Lists a page of the results of a test within a time span, newest first.
MATCH (result:TestResult)
USING INDEX SEEK result:TestResult(caseId, timestamp)
WHERE result.caseId = $id AND result.timestamp >= toInteger($start) AND result.timestamp <= toInteger($end)
WITH result ORDER BY result.caseId DESC, result.timestamp DESC
LIMIT toInteger($limit)
RETURN result.timestamp AS timestamp, result.json AS json
