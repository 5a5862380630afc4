// Reads the result with a key.
MATCH (result:TestResult {key: $key})
RETURN result.json AS json
