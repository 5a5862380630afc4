// Counts the results of a test within a span of time.
MATCH (result:TestResult)
USING INDEX SEEK result:TestResult(caseId, timestamp)
WHERE result.caseId = $id AND result.timestamp >= toInteger($start) AND result.timestamp <= toInteger($end)
RETURN count(result) AS total
