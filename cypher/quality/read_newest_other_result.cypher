// Reads the newest result of a test other than the one with a timestamp.
MATCH (result:TestResult)
USING INDEX SEEK result:TestResult(caseId, timestamp)
WHERE result.caseId = $id AND result.timestamp >= 0 AND result.timestamp <> toInteger($beside)
WITH result ORDER BY result.caseId DESC, result.timestamp DESC
LIMIT 1
RETURN result.json AS json
