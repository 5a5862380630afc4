"""Validates contracts as `datacontract lint` does, many in one process: lint_contracts.py FILE ..."""

import json
import sys

from datacontract.data_contract import DataContract

runs = [DataContract(data_contract_file=file).lint() for file in sys.argv[1:]]
print(json.dumps([[run.result, [check.name for check in run.checks]] for run in runs]))
