// Test results of an older program have their status in their text only. A quote in a string of the text is escaped, so
// the name of the member is found only where it is one.
MATCH (result:TestResult)
WHERE result.status IS NULL
CALL (result) {
  SET result.status = split(split(result.json, '"testCaseStatus":"')[1], '"')[0]
} IN TRANSACTIONS OF 10000 ROWS
