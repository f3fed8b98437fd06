-- | What exists while modules run: instances of functions, tables, memories,
-- globals and modules, for any monad with mutable variables.
module Wasm.Exec.Runtime where

import Data.Array (Array)
import Data.IntMap (IntMap)
import qualified Data.Map as Map
import Data.Word (Word32)

import Wasm.Exec.Memory
import Wasm.Exec.Monad
import Wasm.Syntax
import Wasm.Trap

data FuncInst m
  = WasmFunc FuncType (ModuleInst m) Func
  | HostFunc FuncType ([Value] -> m (Either Trap [Value]))

-- | A table. Elements that were never set are not in the map.
data TableInst m = TableInst
  { tableSize :: Word32
  , tableMax :: Maybe Word32
  , tableContent :: Ref m (IntMap (FuncInst m))
  }

data GlobalInst m = GlobalInst
  { globalType :: GlobalType
  , globalContent :: Ref m Value
  }

data Extern m
  = FuncExtern (FuncInst m)
  | TableExtern (TableInst m)
  | MemoryExtern (MemoryInst m)
  | GlobalExtern (GlobalInst m)

data ModuleInst m = ModuleInst
  { instTypes :: Array Int FuncType
  , instFuncs :: Array Int (FuncInst m)
  , instTables :: [TableInst m]
  , instMemories :: [MemoryInst m]
  , instGlobals :: Array Int (GlobalInst m)
  , instExports :: Map.Map Name (Extern m)
  }

typeOfFunc :: FuncInst m -> FuncType
typeOfFunc (WasmFunc t _ _) = t
typeOfFunc (HostFunc t _) = t

-- | The type of something at this moment: memories grow.
typeOfExtern :: MonadRef m => Extern m -> m ExternType
typeOfExtern x = case x of
  FuncExtern f -> pure (ExternFunc (typeOfFunc f))
  TableExtern t -> pure (ExternTable (Limits (tableSize t) (tableMax t)))
  MemoryExtern mem -> do
    pages <- memoryPages mem
    pure (ExternMemory (Limits pages (memMax mem)))
  GlobalExtern g -> pure (ExternGlobal (globalType g))
