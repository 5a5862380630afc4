// The results of given moments, as they are kept.
UNWIND $keys AS key
MATCH (result:TestResult {key: key})
RETURN result.key AS key, result.json AS json
