"""The collections of environments that the paper trains and tests on.

C1 < C4 < C16 < C256 are nested training collections. HELD_OUT is disjoint from all of them and
is for testing. ALL is every environment of RLVE-Gym, including those that are in neither.

D4 < D16 and D_HELD_OUT are the same for problems that answer back (rlve.dialogue), which are in
none of the others.
"""

from collections.abc import Iterable

from rlve.catalogue import CATALOGUE
from rlve.errors import UserError

C16: tuple[str, ...] = tuple(
    """
    Multiplication Division EuclidGame Sorting GCDOne_Counting HamiltonianPath LampChanging
    LargestConvexPolygon PCPPermutation Path_NoGoingBack_Counting SAT ShortestPath SpiralMatrix
    SubsequenceReversalLNDS UndamagedSubmatrixCounting WYRLevelingGround
    """.split()
)
C4 = C16[:4]
C1 = C16[:1]

C256: tuple[str, ...] = (
    *C16,
    *"""
    ABProgramSimulation AddMultiple_Divisible_Counting AdditionTable
    AlmostCompleteGraphCycleCounting AntiPalindromicSubstringCounting BEZMinimalistSecurity
    Binario Binario_NoAdjacencyRequirement BinaryAlternation BinaryLinearEquation_SolutionCounting
    BinaryTreeLeafNumExpectation BitAndZero_PathCounting BitEquationCounting
    BitwiseOperationSequenceCounting BlockImage BoundedIntervalIntersection
    BoundedMeanSubarrayCounting BoundedSubarrayCounting BoxScheduling Bridge CampfireParty
    CapitalCityEffect CardColoringCounting CheckAllCycleXorZero Cinema Circuit CirculatingGrid
    CleaningUp CoinSquareGame ColoringCounting ConcatenationPartitionCountingSum CongruentEquation
    Cornfield CountdownEqual Cryptarithmetic Cube_FixedLocalMaximumCounting CycleCounting
    DecreasingDigitCounting DegreeFixed_SpanningTree DeltaMinPopcount DeltaNimGame
    DifferenceConstraintSystem Differentiate DiscreteLogarithm Disinfection DivisorFlipExpectation
    DoubleCrossCounting DoublePalindromicStringCounting EightDigitPuzzle FBI_BinaryTree
    FaceRightWay Fibonacci Fibtrain FixedOneEdgeNum_SpanningTree FractionalProgramming
    FractionalProgramming_BipartiteGraphMatching GCDFibonacciProduct GasFireExtinguishers
    GcdLcmCounting GradeRankingCounting GraphContainTreeCounting GraphIsomorphism GridBFS
    GridColoringCounting GridComponent GridLocalMinimumCounting HURWarehouseStore
    HamiltonianPathExistence HitoriPuzzle HungryRabbit IndividualSumBounded_SequenceCounting
    IntegerProgramming Integral InversionPair InversionPairK_Counting Josephus KPartition KUR
    KingSorting KloBlocks Knapsack KosDicing KthSubsequence Kth_BinaryTree
    Kth_SemiBalancedBracketSequence LAS LASLaser LCM LDSTwo_Counting LIZ_Lollipop
    LargestRectangle_AmongPoints LightUpPuzzle LinkBeads LongestMaxDiffBoundedInterval
    Longest_DoublePalindrome Longest_MatchingSubsequence Longest_RepeatedPalindrome
    MagicSquarePuzzle MatrixPermutationEquivalence MatrixPooling MatrixRMQCounting
    MaxDifferentGroupPairDivision MaxGridPathIntersection MaxMultSplit MaxPermutation
    MaxRMQExpectation MaxSegmentCoverageConstraint MaxSumLDS MaxThreeSquareSum
    MaxWeightPalindromicSubstring MaxXorPath Max_NonAdjacent_KElementSum MaximumIndependentSetGrid
    MaximumLexicographicalOrderSubsequence MaximumPointSegmentMatching MaximumWeightMatching
    Maximum_SubsequenceNum MinConversionToCycleCost MinCostReducingLNDS MinCostTreeCoverage
    MinCubeAssignment MinDivisionSumXor MinKDivisorNumber MinNoSolutionLinearDiophantineEquation
    MinNonsubstring MinPairSumMultiplicationPermutation MinSumDistanceSquare
    MinSwapTwoPermutations MinXorPair Minesweeping MinimumChromaticNumber
    MinimumChromaticNumber_SegmentOverlap MinimumDirectedSpanningTree
    MinimumFibonacciRepresentation MinimumHarmoniousChromaticNumber MinimumRatioPath
    MinimumSpanningTreeCounting MinimumSumDifferenceSubmatrix
    MinimumTreeWeightedDominatingAncestor MinimumWeightedSpanningTree
    Minimum_CrossingEdges_GraphPartition Minimum_DominatingSet Minimum_MaxAbsSlicer
    Minimum_MaxSlicer MitterTransportation MixedGraphEulerianCircuit MonochromeBlockCounting
    MultiDrink MultipleFlippingGame NegativeBase NoAdjacentGirlCounting NoDoubleTripleCounting
    NumberPartitionCounting Numbrix ODLDistance POLPolarization PairMoreOneCounting
    PalembangBridges PalindromicSubstringNumberCounting PanSolarPanels Patrol
    PolynomialFactorization PolynomialRemainder PowerCycle PowerNest PowerShortcut
    PrefixProductMODDistinctPermutation PrefixSumMODDistinctPermutation Prefixuffix
    PreorderTraversal PrimeGraph_MinimumChromaticNumber QuantumLockPuzzle QueenPlacement
    RandomRangeMaxExpectation RangeConstrained_IncreasingSequence_Counting
    RangeFourSequenceConstruction RootExtraction RoundRobin RoundTableAssignment RoyalLockCounting
    SCC_Sequence_Counting SaladBar SalesmanFatigue SecretCowCode SegmentMinLengthEqual_Counting
    SegmentTreeSortingCounting SelfPowerSequenceMOD SharedSubstringCounting
    ShortestUnicolorSubstring SingleStackSorting SkyscraperSumPuzzle SlidingWindow SmallestCircle
    SplittingGame SpyNetwork SquSquarks StarBattle StirlingSecond StoneGame StringPartitionShuffle
    SubsetSum Sudoku SumGCDWithIndividual SumLCM SumMOD SumManhattan_CurvedSurface SumPHIInterval
    SumPseudoEuclidean SumTriangleArea SurvoPuzzle TakingPrimeGame TaskArrangement TetrisAttack
    ThreeVertexCycleCounting Tournament_LongestPath TransmissionDelay TreeAddOneEdgeDiameter
    TreeCenter TreeChangeOneEdgeDiameter TreeColoring TreeDynamic_XORZeroPath
    TreeElimination_Expectation TreeEvenPartitioning TreeMaximumVisitedVertex
    TreeRandomWalkExpectation TreeTopologicalSequenceCounting Tree_DistanceEqualTriad_Counting
    TriumphalArch TwiddlePuzzle TwoSAT TwoSet_AllCoprime_Counting ValueDiminishingSelection
    Vertex_KCenter VisibleLine WIL WYC WeightedBinaryTree WeightedLIS XorEquationCounting
    ZeroPrefixSubsetCounting
    """.split(),
)

HELD_OUT: tuple[str, ...] = tuple(
    """
    BAJBytecomputer BannedPointSupersetPathCounting BanyanHeart CRT Canon
    CirculatingDecimalCounting Clique_IndependentSet_Partitioning_Counting ConvexHull
    CountdownClose CowDanceShow DoubleStackSorting DynDynamite EvenDegreeGraphPartitioning
    Expression_AddingParenthese_Counting FactorialTrailingZeroCount FixedModK_Selection_Counting
    FutoshikiPuzzle GraMinimaGame GridTriangleCounting HalvingChainCounting ImpParty
    IntegerFactorizationCounting JugPuzzle LandAcquisition LandformGenerationCounting MakingGrade
    MatrixPermutation_BothDiagonalOne Matrix_BinaryExponentiation MaxXorSet
    Maximum_IndependentSet_Tree MinimumSpanningTree Minimum_DominatingInterval
    MostComponentTreeRemovingTwoPaths NextPalindromic PalindromePartitionCounting
    PipelineArrangement PolynomialInterpolation PrefixConcatenation
    PythagoreanGraph_IndependentSetCounting SetSplitting SkyscraperPuzzle SmallestBinaryMultiple
    StoneIntervalsGame SubgraphIsomorphism SubmatrixSumDivisibleCounting SubsetSumSequence
    SumProductDivisorNum SumXorDivisorNum Sum_DivisorNum
    TopologicalSort_MinimalLexicographicalOrder
    """.split()
)

ALL: tuple[str, ...] = tuple(sorted(CATALOGUE))

D16: tuple[str, ...] = tuple(
    """
    GuessNumber BullsAndCows DarkMaze PlayNim Bandit Battleships HiddenPermutation HiddenPolynomial
    LightsOut Minefield RobotRules SlidingTiles Sokoban SortByComparisons Treblecross
    TwentyQuestions
    """.split()
)
D4 = D16[:4]
D_HELD_OUT: tuple[str, ...] = ("DebugProgram", "HiddenGraph", "TowersOfHanoi", "WeighCoins")

COLLECTIONS = {
    "C1": C1,
    "C4": C4,
    "C16": C16,
    "C256": C256,
    "HELD_OUT": HELD_OUT,
    "ALL": ALL,
    "D4": D4,
    "D16": D16,
    "D_HELD_OUT": D_HELD_OUT,
}


def collection(name: str) -> tuple[str, ...]:
    """The names of the environments in a collection, for example C16 or HELD_OUT."""
    if not is_collection(name):
        raise UserError(
            f"no collection is named {name!r}; the collections are {', '.join(COLLECTIONS)}"
        )
    return COLLECTIONS[_key(name)]


def is_collection(name: str) -> bool:
    """Whether a collection has that name."""
    return _key(name) in COLLECTIONS


def _key(name: str) -> str:
    return name.upper().replace("-", "_")


def resolve(
    names: Iterable[str], *, families: Iterable[str] = (), without: Iterable[str] = ()
) -> list[str]:
    """The environments, without repeats, that names of environments and collections stand for.

    `without` leaves some out, and takes the same kinds of name. `families` keeps only the members
    of those families, out of all environments if there are no names. A user's own environment,
    MODULE:CLASS or FILE.py:CLASS, is registered, and can be chosen by its class name from then on.
    """
    from rlve import registry
    from rlve.targets import find

    known = dict.fromkeys(registry.environments())
    apart = registry.dialogues()
    chosen: list[str] = []
    for name in names:
        if is_collection(name):
            chosen += collection(name)
        else:  # a known name is not imported
            chosen.append(name if name in known or name in apart else find(name).__name__)
    wanted = list(families)
    if wanted:
        members = {member for family in wanted for member in _members(family)}
        chosen = [name for name in chosen or (*known, *apart) if name in members]
    excluded = set(resolve(without)) if without else set[str]()
    return [name for name in dict.fromkeys(chosen) if name not in excluded]


def _members(family: str) -> list[str]:
    from rlve.registry import DIALOGUE, dialogues, families

    known = families() | {DIALOGUE: dialogues()}
    if family not in known:
        raise UserError(f"no family is named {family!r}; the families are {', '.join(known)}")
    return known[family]
