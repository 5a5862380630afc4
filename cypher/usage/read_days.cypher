// Answers on which days between two dates records were used, and how often.
UNWIND $rows AS row
MATCH (day:UsageDay)
WHERE day.key >= row.id + ' ' + row.from AND day.key <= row.id + ' ' + row.to
RETURN row.at AS at, day{.date, .count, .dailyRank, .weeklyRank, .monthlyRank} AS day
