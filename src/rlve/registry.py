"""Name -> environment class, imported on first use.

Other packages add theirs with `rlve.register(cls)`, or lazily with an entry point of the group
"rlve.environments" whose name is the environment's.
"""

import difflib
import re
from collections.abc import Generator
from contextlib import contextmanager
from functools import cache
from importlib import import_module
from typing import TYPE_CHECKING, Any, TypeVar, cast

from rlve.contract import AnyEnvironment, Environment
from rlve.errors import UnknownEnvironment, UserError

if TYPE_CHECKING:
    from importlib.metadata import EntryPoint

# The catalogue. An environment's file follows from its family and its name.
FAMILIES: dict[str, tuple[str, ...]] = {
    "algebra": (
        "DifferenceConstraintSystem",
        "Differentiate",
        "Fibtrain",
        "GaussianElimination",
        "Integral",
        "Matrix_BinaryExponentiation",
        "PolynomialFactorization",
        "PolynomialInterpolation",
        "PolynomialMinimum",
        "PolynomialRemainder",
        "SquSquarks",
    ),
    "arithmetic": (
        "CountdownClose",
        "CountdownEqual",
        "Division",
        "MaxMultiplicationFixedSum",
        "Multiplication",
        "RootExtraction",
    ),
    "arrays": (
        "BAJBytecomputer",
        "BoundedMeanSubarrayCounting",
        "BoundedSubarrayCounting",
        "BucketSorting",
        "CleaningUp",
        "Cornfield",
        "DifferentColorPairing",
        "FaceRightWay",
        "KloBlocks",
        "LIS_LDS_Concatenation",
        "LIZ_Lollipop",
        "LongestMaxDiffBoundedInterval",
        "Longest_MatchingSubsequence",
        "MakingGrade",
        "MaxDifferentGroupPairDivision",
        "MaxMinimum_AfterIntervalAddition",
        "Max_NonAdjacent_KElementSum",
        "MaximumDivisor",
        "MaximumLexicographicalOrderSubsequence",
        "Maximum_SubsequenceNum",
        "MinCostReducingLNDS",
        "Minimum_MaxAbsSlicer",
        "Minimum_MaxSlicer",
        "MonotonicStack",
        "QuadMagicItems",
        "QuadraticFunctionSegmentation",
        "RangeFourSequenceConstruction",
        "RecursiveSequenceSumConstruction",
        "RepeatSequenceLNDS",
        "STUWell",
        "SalesmanFatigue",
        "SlidingWindow",
        "Sorting",
        "SubsequenceReversalLNDS",
        "TetrisAttack",
        "WIL",
        "WYRLevelingGround",
        "WeightedLIS",
    ),
    "bits": (
        "AndOr_Sequence_Counting",
        "BannedPointSupersetPathCounting",
        "BitAndZero_PathCounting",
        "BitwiseOperationSequenceCounting",
        "DeltaMinPopcount",
        "EnergyStorageMeter",
        "MaxTreeXorPath",
        "MaxXorPath",
        "MaxXorSet",
        "MinDivisionSumXor",
        "MinSumPreXor",
        "MinXorPair",
        "NANDResultCounting",
        "SubarraySumXor",
        "SubarrayXorSum",
        "SumXorDivisorNum",
        "XorEquationCounting",
    ),
    "combinatorics": (
        "AlmostCompleteGraphCycleCounting",
        "BoundedIntervalIntersection",
        "Canon",
        "CardColoringCounting",
        "CatalanNumberMod",
        "CombinationOddSubsequenceCounting",
        "ConcatenationPartitionCountingSum",
        "DecreasingDigitCounting",
        "DerangementExtension",
        "DigitLISCounting",
        "DistinctEdgeColoredCompleteGraphCounting",
        "Expression_AddingParenthese_Counting",
        "FixedModK_Selection_Counting",
        "GradeRankingCounting",
        "GridColoringCounting",
        "GridLocalMinimumCounting",
        "HalvingChainCounting",
        "HeapCounting",
        "IndividualSumBounded_SequenceCounting",
        "KiddingMe",
        "LandformGenerationCounting",
        "MatrixRMQCounting",
        "MonochromeBlockCounting",
        "NoAdjacentGirlCounting",
        "NoDoubleTripleCounting",
        "NumberPartitionCounting",
        "PairMoreOneCounting",
        "PalindromicSubstringNumberCounting",
        "PythagoreanGraph_IndependentSetCounting",
        "RangeConstrained_IncreasingSequence_Counting",
        "RangeShrinkingSequenceCounting",
        "RoyalLockCounting",
        "SCC_Sequence_Counting",
        "SameAdjacencyCounting",
        "SegmentMinLengthEqual_Counting",
        "SingingGirlStory",
        "StirlingSecond",
        "SumSetMultiplication",
        "TransmissionDelay",
        "TreeTopologicalSequenceCounting",
        "TwoSet_AllCoprime_Counting",
    ),
    "games": (
        "CoinSquareGame",
        "DeltaNimGame",
        "EuclidGame",
        "GraMinimaGame",
        "LAS",
        "MultipleFlippingGame",
        "NewNimGame",
        "SplittingGame",
        "StoneGame",
        "StoneIntervalsGame",
        "TakingPrimeGame",
        "TriumphalArch",
    ),
    "geometry": (
        "ConvexHull",
        "GridTriangleCounting",
        "LASLaser",
        "LargestConvexPolygon",
        "LargestRectangle_AmongPoints",
        "MinSumChebyshevDistance",
        "MinSumDistanceSquare",
        "SkaRockGarden",
        "SmallestCircle",
        "SquareUndamagedPointCounting",
        "SumTriangleArea",
        "VisibleLine",
    ),
    "graphs": (
        "Bridge",
        "CheckAllCycleXorZero",
        "Clique_IndependentSet_Partitioning_Counting",
        "ColoringCounting",
        "CycleCounting",
        "DegreeFixed_SpanningTree",
        "EvenDegreeGraphPartitioning",
        "FixedOneEdgeNum_SpanningTree",
        "GraphContainTreeCounting",
        "GraphIsomorphism",
        "HamiltonianPath",
        "HamiltonianPathExistence",
        "ImpParty",
        "LongestPath",
        "MafMafia",
        "MaximumAchromaticNumber",
        "MaximumClique",
        "MaximumWeightMatching",
        "MinConversionToCycleCost",
        "MinPathCover_DAG",
        "MinimumChromaticNumber",
        "MinimumCost_MaximumFlow",
        "MinimumDirectedSpanningTree",
        "MinimumHarmoniousChromaticNumber",
        "MinimumRatioPath",
        "MinimumSpanningTree",
        "MinimumSpanningTreeCounting",
        "MinimumSteinerTree",
        "MinimumWeightedSpanningTree",
        "Minimum_CrossingEdges_GraphPartition",
        "Minimum_DominatingSet",
        "Minimum_VertexCover",
        "MixedGraphEulerianCircuit",
        "MostNumEdge_NonSelfIsomorphism",
        "OddVisitation",
        "Path_NoGoingBack_Counting",
        "PowerShortcut",
        "PrimeGraph_MinimumChromaticNumber",
        "ShortestPath",
        "ShortestPathCountConstruction",
        "SpyNetwork",
        "SubgraphIsomorphism",
        "SumSpanningTreeGCD",
        "ThreeVertexCycleCounting",
        "TopologicalSort",
        "TopologicalSort_MinimalLexicographicalOrder",
        "Tournament_LongestPath",
        "Vertex_KCenter",
        "WYC",
    ),
    "grids": (
        "CirculatingGrid",
        "ClearSymmetry",
        "Disinfection",
        "DoubleCrossCounting",
        "GridBFS",
        "GridComponent",
        "GridParityConstruction",
        "MatrixPermutationEquivalence",
        "MatrixPermutation_BothDiagonalOne",
        "MatrixPermutation_MainDiagonalOne",
        "MatrixPooling",
        "MaxGridPathIntersection",
        "MaxNoConflictingBombs",
        "MaxThreeSquareSum",
        "MaximumIndependentSetGrid",
        "Maze",
        "MinCubeAssignment",
        "MinimumSumDifferenceSubmatrix",
        "MinimumUnconflictedGridKMax",
        "Minimum_DominatingSet_Grid",
        "SpiralMatrix",
        "SubmatrixSumDivisibleCounting",
        "UndamagedSubmatrixCounting",
        "WhackAMole",
    ),
    "logic": (
        "BitEquationCounting",
        "Circuit",
        "KnightsAndKnaves",
        "SAT",
        "TwoSAT",
    ),
    "number_theory": (
        "AddMultiple_Divisible_Counting",
        "BezoutIdentity",
        "BinaryLinearEquation_SolutionCounting",
        "CRT",
        "CapitalCityEffect",
        "CirculatingDecimalCounting",
        "CongruentEquation",
        "ConstructHackInterval",
        "DiscreteLogarithm",
        "FactorialTrailingZeroCount",
        "Fibonacci",
        "FibonacciContainingCounting",
        "GCDFibonacciProduct",
        "GCDOne_Counting",
        "GCDPrime_Counting",
        "GcdLcmCounting",
        "GoldWashing",
        "IntegerFactorizationCounting",
        "LCM",
        "MinKDivisorNumber",
        "MinNoSolutionLinearDiophantineEquation",
        "MinimumFibonacciRepresentation",
        "NegativeBase",
        "NextPalindromic",
        "ODLDistance",
        "PanSolarPanels",
        "PowerCycle",
        "PowerNest",
        "PrefixConcatenation",
        "SelfPowerSequenceMOD",
        "SmallestBinaryMultiple",
        "SubsetSumSequence",
        "SumGCD",
        "SumGCDWithIndividual",
        "SumLCM",
        "SumMOD",
        "SumManhattan_CurvedSurface",
        "SumPHIInterval",
        "SumProductDivisorNum",
        "SumPseudoEuclidean",
        "Sum_DivisorNum",
    ),
    "optimization": (
        "Axis_KCenter",
        "BEZMinimalistSecurity",
        "BoxScheduling",
        "DifferenceConstraintSystemDAG",
        "EmperorWorries",
        "FractionalProgramming",
        "FractionalProgramming_BipartiteGraphMatching",
        "HURWarehouseStore",
        "HungryRabbit",
        "IntegerProgramming",
        "KPartition",
        "KingSorting",
        "Knapsack",
        "KosDicing",
        "LandAcquisition",
        "MYJ",
        "MaxMultSplit",
        "MaxSegmentCoverageConstraint",
        "MaximumPointSegmentMatching",
        "MinPairSumMultiplicationPermutation",
        "MinimumChromaticNumber_SegmentOverlap",
        "MinimumIntervalCoverage",
        "Minimum_DominatingInterval",
        "PalembangBridges",
        "PipelineArrangement",
        "ProtectingFlowers",
        "RoundTableAssignment",
        "SetCover",
        "SetSplitting",
        "StuntFlying",
        "SubsetSum",
        "TaskArrangement",
        "ValueDiminishingSelection",
        "WarehouseConstruction",
    ),
    "permutations": (
        "BoundedAdjacencyDifference_Permutation_Counting",
        "BubbleSwapLowerBound_PermutationCounting",
        "CampfireParty",
        "CantorExpansion",
        "DistinctArrayPermutation",
        "DoubleStackSorting",
        "InversionPair",
        "InversionPairK_Counting",
        "LDSTwo_Counting",
        "MaxPermutation",
        "MaxSumLDS",
        "Max_TreeConstrainedPermutation_Weight",
        "MinSwapTwoPermutations",
        "PrefixProductMODDistinctPermutation",
        "PrefixSumMODDistinctPermutation",
        "SLOElephants",
        "SegmentTreeSortingCounting",
        "SingleStackSorting",
    ),
    "probability": (
        "BinaryTreeLeafNumExpectation",
        "Cinema",
        "Cube_FixedLocalMaximumCounting",
        "DivisorFlipExpectation",
        "MaxRMQExpectation",
        "MoneyChargingGame",
        "PolyaModel",
        "RandomRangeMaxExpectation",
        "TreeElimination_Expectation",
        "TreeRandomWalkExpectation",
    ),
    "puzzles": (
        "AdditionTable",
        "Binario",
        "Binario_NoAdjacencyRequirement",
        "CampsitePuzzle",
        "Cryptarithmetic",
        "EightDigitPuzzle",
        "FutoshikiPuzzle",
        "HitoriPuzzle",
        "JugPuzzle",
        "Kakurasu",
        "LightUpPuzzle",
        "MagicSquarePuzzle",
        "Minesweeping",
        "NinePuzzle",
        "Numbrix",
        "QuantumLockPuzzle",
        "QueenPlacement",
        "RoundRobin",
        "SkyscraperPuzzle",
        "SkyscraperSumPuzzle",
        "StarBattle",
        "Sudoku",
        "SurvoPuzzle",
        "TwiddlePuzzle",
    ),
    "simulation": (
        "ABProgramSimulation",
        "BlockImage",
        "CowDanceShow",
        "Josephus",
        "LampChanging",
        "RecursiveFunction",
    ),
    "strings": (
        "AntiPalindromicSubstringCounting",
        "BinaryAlternation",
        "ChoHamsters",
        "DoublePalindromicStringCounting",
        "KUR",
        "KthSubsequence",
        "Kth_SemiBalancedBracketSequence",
        "Longest_DoublePalindrome",
        "Longest_RepeatedPalindrome",
        "MaxWeightPalindromicSubstring",
        "MinNonsubstring",
        "MinimalCyclicShift",
        "NotContainingStringCounting",
        "PCPPermutation",
        "PalindromePartitionCounting",
        "Prefixuffix",
        "SaladBar",
        "SecretCowCode",
        "SharedSubstringCounting",
        "ShortestUnicolorSubstring",
        "StringPartitionShuffle",
        "StringReversalConstruction",
        "ThreeStringCommonSubsequenceCounting",
        "VirusSynthesis",
        "ZeroPrefixSubsetCounting",
    ),
    "trees": (
        "BanyanHeart",
        "DynDynamite",
        "FBI_BinaryTree",
        "FireworkShow",
        "GasFireExtinguishers",
        "Kth_BinaryTree",
        "LinkBeads",
        "MaxTree_KPathCoverage",
        "Maximum_IndependentSet_Tree",
        "MinCostTreeCoverage",
        "MinInorderBinaryTree",
        "MinimumTreeWeightedDominatingAncestor",
        "MitterTransportation",
        "MostComponentTreeRemovingTwoPaths",
        "MultiDrink",
        "POLPolarization",
        "Patrol",
        "PreorderTraversal",
        "TreeAddOneEdgeDiameter",
        "TreeCenter",
        "TreeChangeOneEdgeDiameter",
        "TreeColoring",
        "TreeDynamic_XORZeroPath",
        "TreeEvenPartitioning",
        "TreeMaximumVisitedVertex",
        "Tree_DistanceEqualTriad_Counting",
        "WeightedBinaryTree",
    ),
}

ENTRY_POINTS = "rlve.environments"
ELSEWHERE = "elsewhere"  # the family of environments that other packages add without naming one
DATA = "data"  # the questions of data sets: judged like problems, but not generated

E = TypeVar("E", bound=AnyEnvironment)

_FAMILY_OF = {name: family for family, names in FAMILIES.items() for name in names}
_registered: dict[str, tuple[str, AnyEnvironment]] = {}
_WORD_START = re.compile(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])")


def environments() -> list[str]:
    """The names of all environments; not of those that hold the questions of data sets."""
    mine = [name for name, (family, _) in _registered.items() if family != DATA]
    return sorted({*_FAMILY_OF, *mine, *_plugins()})


def families() -> dict[str, list[str]]:
    """The families, each with the names of its environments."""
    found: dict[str, list[str]] = {}
    for name in environments():
        found.setdefault(family(name), []).append(name)
    return dict(sorted(found.items()))


def family(name: str) -> str:
    """The family that the environment of that name belongs to."""
    if name in _FAMILY_OF:
        return _FAMILY_OF[name]
    return _registered[name][0] if name in _registered else ELSEWHERE


def environment(name: str) -> AnyEnvironment:
    """The environment of that name."""
    if name in _registered:
        return _registered[name][1]
    if name in _FAMILY_OF:
        return getattr(import_module(module_of(name)), name)
    if name in _plugins():
        return _checked(_plugins()[name].load(), name)
    near = difflib.get_close_matches(name, environments(), n=1)
    hint = f"did you mean {near[0]!r}?" if near else "rlve.environments() lists all names."
    raise UnknownEnvironment(f"no environment is named {name!r}; {hint}")


def register(cls: E, *, family: str = ELSEWHERE) -> E:
    """Make an environment known by its class name; also usable as a class decorator."""
    _checked(cls, cls.__name__)
    known = _registered.get(cls.__name__, (None, cls))[1]
    if cls.__name__ in _FAMILY_OF or known is not cls:
        raise UserError(f"another environment is already named {cls.__name__!r}")
    _registered[cls.__name__] = family, cls
    return cls


@contextmanager
def registered(cls: E, *, family: str = ELSEWHERE) -> Generator[E]:
    """Make an environment known by its class name while the block runs: in a test, say."""
    register(cls, family=family)
    try:
        yield cls
    finally:
        _registered.pop(cls.__name__, None)


def module_of(name: str) -> str:
    """The module that defines the environment: AndOr_Sequence -> ...and_or_sequence."""
    file = re.sub("_+", "_", _WORD_START.sub("_", name)).lower()
    return f"rlve.envs.{_FAMILY_OF[name]}.{file}"


@cache
def _plugins() -> "dict[str, EntryPoint]":
    from importlib.metadata import entry_points  # slow to import, and seldom needed

    return {entry.name: entry for entry in entry_points(group=ENTRY_POINTS)}


def _checked(cls: Any, name: str) -> AnyEnvironment:
    if not (isinstance(cls, type) and issubclass(cls, Environment)):
        raise TypeError(f"{cls!r} is not an environment: it is no subclass of rlve.Environment")
    found = cast(AnyEnvironment, cls)
    if found.__name__ != name:
        raise TypeError(f"the entry point {name!r} loads an environment named {found.__name__!r}")
    return found
