{-# OPTIONS_GHC -O0 #-}

-- | What must hold of the transform, whichever way it is made.
--
-- > dwt-tests ANSWERS [SEED]
--
-- ANSWERS is @reference/answers.txt@. Sizes, numbers of layers, angles and
-- signals are drawn from the seed.
module Main (main) where

import Control.Exception (ErrorCall (..), throwIO, try)
import Control.Monad (filterM, forM, when)
import Data.IORef (atomicModifyIORef', newIORef, readIORef)
import qualified Data.Vector.Storable as Vector
import GHC.Float (castDoubleToWord64)
import System.Environment (getArgs)
import System.Exit (exitFailure)

import Dwt.InPlace (inverse)
import Dwt.Lattice
import Dwt.Parallel (divided)
import qualified Dwt.C as C
import qualified Dwt.Plain as Plain
import qualified Dwt.Pyramid as Pyramid
import Dwt.Signal
import Ways

-- | A sentence, and where it does not hold.
data Test = Test String (IO [String])

main :: IO ()
main = do
  arguments <- getArgs
  (file, seed) <- case arguments of
    [file] -> pure (file, 2012)
    [file, seed] -> pure (file, read seed)
    _ -> ioError (userError "usage: dwt-tests ANSWERS [SEED]")
  answers <- map answer . filter ((/= "#") . take 1) . lines <$> readFile file
  failures <- forM (tests answers (source seed)) $ \(Test sentence run) -> do
    wrong <- run
    when (not (null wrong)) $ do
      putStrLn ("FAILED: " ++ sentence)
      mapM_ (putStrLn . ("  " ++)) (take 5 wrong)
    pure (not (null wrong))
  putStrLn ("dwt: " ++ show (length failures) ++ " sentences checked, " ++ show (length (filter id failures)) ++ " failures")
  when (or failures) exitFailure

tests :: [Answer] -> Source -> [Test]
tests answers from =
  [ Test "there are known answers" (pure ["none" | null answers])
  , Test "the transform is that of the filters" (filterM' known answers)
  , Test "so is the plainest one" (pure [show a | a <- answers, not (close (answerTransform a) (plainest a))])
  , Test "all ways to all layers agree in every bit" (filterM' sameLevel cases)
  , Test "all ways to one layer agree in every bit" (filterM' sameStep cases)
  , Test "all ways to several levels agree in every bit" (filterM' sameLevels cases)
  , Test "a transform of large signals is the same in every bit" (filterM' sameLevel large)
  , Test "the layers are as many steps" (filterM' stepsMakeLevel cases)
  , Test "the inverse gives the signal back" (filterM' reconstructed (cases ++ large))
  , Test "energy is kept" (filterM' energyKept (cases ++ large))
  , Test "the bands are put together as they were taken apart" (filterM' joined cases)
  , Test "a wavelet with six vanishing moments does not see a polynomial of degree 5" (pure polynomial)
  , Test "... but sees one of degree 6" (pure ["it does not" | null (moments 6)])
  , Test "every way to levels of its own choice agrees in every bit" (filterM' sameChoice cases)
  , Test "of what is divided among threads all is done, and a failure is told" failureIsTold
  , Test "what is no signal is refused" (pure [show size | size <- [-2, 0, 1, 3, 65537], refusal 1 size == Nothing])
  , Test "what does not halve so often is refused" (pure [show (levels, size) | (levels, size) <- [(-1, 8), (2, 6), (4, 8), (70, 8)], refusal levels size == Nothing])
  , Test "what does is not" (pure [why | (levels, size) <- [(0, 2), (1, 2), (3, 8), (2, 12), (11, 2048)], Just why <- [refusal levels size]])
  ]
  where
    cases = map (caseFrom 300) (take 200 (sources from))
    large = [Case 6 1 size (size + 1) | size <- [4094, 4096, 10002, 65536, 100002]] ++ [Case 7 3 65544 7, Case 1 5 131072 8]

-- | What the reference says of a signal.
data Answer = Answer
  { answerLevels :: Int
  , answerAngles :: [Double]
  , answerSignal :: Signal
  , answerTransform :: Signal
  }
  deriving Show

answer :: String -> Answer
answer line = case fields line of
  [levels, angles, samples, transform] ->
    Answer (read levels) (numbers angles) (Vector.fromList (numbers samples)) (Vector.fromList (numbers transform))
  _ -> error ("not an answer: " ++ line)
  where
    numbers = map read . words
    fields text = case break (== ';') text of
      (field, _ : rest) -> field : fields rest
      (field, []) -> [field]

-- | Layers, levels, size, and the seed of angles and signal.
data Case = Case Int Int Int Int
  deriving Show

sources :: Source -> [Source]
sources from = source seed : sources rest
  where
    (seed, rest) = below maxBound from

-- | A size below twice a limit. Every fifth case has the six layers that some
-- programs are made for.
caseFrom :: Int -> Source -> Case
caseFrom limit from = Case (if kind == 0 then 6 else layerCount + 1) levels (2 ^ levels * (factor + 1)) seed
  where
    (kind, rest0) = below 5 from
    (layerCount, rest1) = below 13 rest0
    (extra, rest2) = below 5 rest1
    levels = extra + 1
    (factor, rest3) = below (max 1 (2 * limit `div` 2 ^ levels)) rest2
    (seed, _) = below 1000000 rest3

latticeOf :: Case -> Lattice
latticeOf (Case count _ _ seed) = lattice (fst (many count (between (-pi) pi) (source (seed + 1))))

signalOf :: Case -> Signal
signalOf (Case _ _ size seed) = signal seed size

filterM' :: Show a => (a -> IO Bool) -> [a] -> IO [String]
filterM' holds = fmap (map show) . filterM (fmap not . holds)

-- | Equal in every bit, so that not even the signs of zeros differ.
same :: Signal -> Signal -> Bool
same a b = bits a == bits b
  where
    bits = map castDoubleToWord64 . Vector.toList

-- | Up to rounding, for samples of some thousands.
close :: Signal -> Signal -> Bool
close a b = Vector.length a == Vector.length b && Vector.all ((< 1e-9) . abs) (Vector.zipWith (-) a b)

known :: Answer -> IO Bool
known (Answer levels angles samples transform) = do
  inHaskell <- mapM (\count -> Pyramid.pyramid count levels (lattice angles) samples) [1, 2]
  inC <- C.pyramid levels (lattice angles) samples
  pure (all (close transform) (inC : inHaskell))

plainest :: Answer -> Signal
plainest (Answer levels angles samples _) = Pyramid.reference levels (lattice angles) samples

-- | By 1, 2, 3 and 5 threads, where there are any.
agree :: Work -> Signal -> Case -> IO Bool
agree does wanted given = do
  results <- sequence
    [ by way count (latticeOf given) (signalOf given)
    | way <- ways
    , work way == does
    , count <- if threads way == Single then [1] else [1, 2, 3, 5]
    ]
  pure (not (null results) && all (same wanted) results)

sameLevel, sameStep, sameLevels, sameChoice, stepsMakeLevel, reconstructed, energyKept, joined :: Case -> IO Bool
sameLevel given = agree Level (Plain.level (latticeOf given) (signalOf given)) given
sameStep given
  | layers (latticeOf given) < 2 = pure True
  | otherwise = agree Step (Plain.step (latticeOf given) 1 (signalOf given)) given
sameLevels given@(Case _ levels _ _) = do
  let wanted = Pyramid.reference levels (latticeOf given) (signalOf given)
  inHaskell <- mapM (\count -> Pyramid.pyramid count levels (latticeOf given) (signalOf given)) [1, 2, 3]
  inC <- C.pyramid levels (latticeOf given) (signalOf given)
  pure (all (same wanted) (inC : inHaskell))
sameChoice given = do
  wanted <- Pyramid.pyramid 1 (levelsOf (signalOf given)) (latticeOf given) (signalOf given)
  agree Levels wanted given
stepsMakeLevel given = do
  let which = latticeOf given
      steps function = foldl (\done layer -> done >>= function layer) (pure (signalOf given)) [0 .. layers which - 1]
  whole <- C.layered which (signalOf given)
  made <- steps (C.step which)
  pure (same whole made)
reconstructed given@(Case count levels size _) = do
  forth <- Pyramid.pyramid 2 levels (latticeOf given) (signalOf given)
  back <- Pyramid.inverse levels (latticeOf given) forth
  undone <- if levels == 1 then C.layered (latticeOf given) (signalOf given) >>= inverse (latticeOf given) else pure back
  let off result = sqrt (energy (Vector.zipWith (-) (signalOf given) result))
      bound = rounding (2 * count * levels) * sqrt (energy (signalOf given))
  pure (Vector.length back == size && off back <= bound && off undone <= bound)
energyKept given@(Case count levels _ _) = do
  transform <- Pyramid.pyramid 1 levels (latticeOf given) (signalOf given)
  let before = energy (signalOf given)
  pure (abs (energy transform - before) <= 2 * rounding (count * levels + 2) * before)
joined given@(Case count _ _ _) =
  pure (same (uncurry (join count) (split count (signalOf given))) (signalOf given))

-- | The sum of squares, by halves, so that its own rounding does not count.
energy :: Signal -> Double
energy samples
  | size < 16 = Vector.sum (Vector.map (\sample -> sample * sample) samples)
  | otherwise = energy (Vector.take half samples) + energy (Vector.drop half samples)
  where
    size = Vector.length samples
    half = size `div` 2

-- | How far so many layers may be from exact ones, as a share of the signal's
-- length: a reflection has two products and a sum, and its cosine and sine are
-- rounded, which is below four units of rounding.
rounding :: Int -> Double
rounding count = 4 * fromIntegral count * 1.2e-16

-- | What is left of x^n in the high band, where the signal does not go around.
moments :: Int -> [Double]
moments degree = filter ((> 1e-9) . abs) (Vector.toList inner)
  where
    size = 64
    power = Vector.generate size (\i -> (fromIntegral i / fromIntegral size) ^ degree)
    (_, high) = split 6 (Plain.level daubechies12 power)
    inner = Vector.slice 6 (size `div` 2 - 7) high

polynomial :: [String]
polynomial = [show degree ++ ": " ++ show left | degree <- [0 .. 5], left@(_ : _) <- [moments degree]]

failureIsTold :: IO [String]
failureIsTold = concat <$> forM [1, 2, 4] told
  where
    told count = do
      ended <- newIORef (0 :: Int)
      let ends = atomicModifyIORef' ended (\sofar -> (sofar + 1, ()))
          fails = throwIO (ErrorCall "on purpose")
      divided count (replicate 100 ends)
      bad <- try (divided count (replicate 9 ends ++ [fails] ++ replicate 10 ends))
      sofar <- readIORef ended
      pure $ case bad of
        Left (ErrorCall "on purpose") | sofar == if count == 1 then 109 else 119 -> []
        _ -> [show count ++ " threads: it was not, or `" ++ show sofar ++ "` of them ended"]
