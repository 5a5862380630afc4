// Lists the results with given timestamps, as they are stored.
UNWIND $keys AS key
MATCH (result:TestResult {key: key})
RETURN result.key AS key, result.json AS json
