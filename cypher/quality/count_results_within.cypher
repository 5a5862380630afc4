// Counts the results of a test within a time span.
MATCH (result:TestResult)
USING INDEX SEEK result:TestResult(caseId, timestamp)
WHERE result.caseId = $id AND result.timestamp >= toInteger($start) AND result.timestamp <= toInteger($end)
RETURN count(result) AS total
