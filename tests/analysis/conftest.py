"""Makes `import analysis` and `import synthetic` work from wherever pytest is called."""

import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE.parents[1]), str(HERE)]
