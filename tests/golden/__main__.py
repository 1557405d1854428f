"""Write the golden files again; read the difference like code before it is kept."""

import json

from tests.golden import DEALS, golden_deals

DEALS.write_text(json.dumps(golden_deals(), indent=1) + "\n")
