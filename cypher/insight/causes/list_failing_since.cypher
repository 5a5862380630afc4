// Tells since when tests or contracts fail: the first failure after the last success. Other outcomes, such as an aborted
// run, change nothing.
UNWIND $ids AS id
WITH id, coalesce(head(COLLECT {
  MATCH (passed:${RESULT})
  USING INDEX SEEK passed:${RESULT}(${OWNER}, timestamp)
  WHERE passed.${OWNER} = id AND passed.timestamp >= 0 AND passed.status = 'Success'
  WITH passed ORDER BY passed.${OWNER} DESC, passed.timestamp DESC
  LIMIT 1
  RETURN passed.timestamp
}), -1) AS passedAt
CALL (id, passedAt) {
  MATCH (failed:${RESULT})
  USING INDEX SEEK failed:${RESULT}(${OWNER}, timestamp)
  WHERE failed.${OWNER} = id AND failed.timestamp > passedAt AND failed.status IN $statuses
  WITH failed ORDER BY failed.${OWNER}, failed.timestamp
  LIMIT 1
  RETURN failed.timestamp AS since
}
RETURN id, since
