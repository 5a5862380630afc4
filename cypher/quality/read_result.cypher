// Answers the result of one moment.
MATCH (result:TestResult {key: $key})
RETURN result.json AS json
