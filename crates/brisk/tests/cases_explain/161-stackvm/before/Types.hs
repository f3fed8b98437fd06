module Types where

import Control.Monad.Except
import Control.Monad.Reader
import Control.Monad.State.Strict
import Data.Array
import qualified Data.IntMap.Strict as IM

data Instr
  = Push !Int
  | Load !Int
  | Store !Int
  | Add
  | Sub
  | Mul
  | Rem
  | JumpIfZero !Int
  | Jump !Int
  | Halt
  deriving (Show)

type Code = Array Int Instr

data Limits = Limits
  { maxSteps :: !Int
  , maxDepth :: !Int
  , program  :: !Code
  }

data Machine = Machine
  { pc    :: !Int
  , depth :: !Int
  , steps :: !Int
  , stack :: [Int]
  , slots :: !(IM.IntMap Int)
  }

data Fault
  = OutOfSteps Int
  | StackOverflow Int
  | StackUnderflow Int
  | DivisionByZero Int
  deriving (Show)

type App = ReaderT Limits (StateT Machine (Either Fault))

runApp :: App a -> Limits -> Machine -> Either Fault (a, Machine)
runApp app limits = runStateT (runReaderT app limits)

initial :: [(Int, Int)] -> Machine
initial vars = Machine 0 0 0 [] (IM.fromList vars)
